// scorer MODEL WIDTH HEIGHT: the libraries from C++: owners that release, errors as exceptions, a
// scorer a thread. Build: c++ -std=c++14 scorer.cpp -o scorer $(pkg-config --cflags --libs dpsvm-score)
#include <dpsvm/score.h>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct close_model {
    void operator()(dpsvm_model *model) const
    {
        dpsvm_model_close(model);
    }
};
struct free_scorer {
    void operator()(dpsvm_scorer *scorer) const
    {
        dpsvm_scorer_free(scorer);
    }
};

static void check(int code, const dpsvm_error &error)
{
    if (code != DPSVM_OK) {
        throw std::runtime_error(error.text);
    }
}

// A model, which threads share.
class model
{
  public:
    explicit model(const std::string &path)
    {
        dpsvm_error error;
        dpsvm_model *opened;
        check(dpsvm_model_open(&opened, path.c_str(), &error), error);
        owned_.reset(opened);
    }
    const dpsvm_model *get() const
    {
        return owned_.get();
    }

  private:
    std::unique_ptr<dpsvm_model, close_model> owned_;
};

// One thread's.
class scorer
{
  public:
    explicit scorer(const model &of) : model_(of)
    {
        dpsvm_error error;
        dpsvm_scorer *made;
        check(dpsvm_scorer_new(&made, of.get(), &error), error);
        owned_.reset(made);
    }
    std::string label(const std::vector<double> &row)
    {
        dpsvm_error error;
        dpsvm_rows rows = dpsvm_rows();
        rows.rows = 1;
        rows.columns = static_cast<int32_t>(row.size());
        rows.dense = row.data();
        int32_t found = 0;
        dpsvm_answers answers = dpsvm_answers();
        answers.label = &found;
        check(dpsvm_score(owned_.get(), &rows, &answers, &error), error);
        return dpsvm_class_label(model_.get(), found);
    }

  private:
    const model &model_;
    std::unique_ptr<dpsvm_scorer, free_scorer> owned_;
};

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::cerr << "usage: scorer MODEL WIDTH HEIGHT\n";
        return 2;
    }
    try {
        const model trained(argv[1]);
        std::cout << scorer(trained).label({std::atof(argv[2]), std::atof(argv[3])}) << "\n";
    } catch (const std::exception &error) {
        std::cerr << "scorer: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
