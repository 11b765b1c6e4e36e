# Data sets of R packages as R writes them: write.csv with and without row names, write.csv2, write.table, write.arff.
source(file.path(Sys.getenv("BENCHMARKS"), "r_data.R"))
library(foreign, lib.loc = file.path(home, "library"))
forms <- function(d, name) {
    write.csv(d, paste0(name, ".csv"))
    write.csv(d, paste0(name, ".bare.csv"), row.names = FALSE)
    write.csv2(d, paste0(name, ".semicolon.csv"), row.names = FALSE)
    write.table(d, paste0(name, ".table"))
    write.arff(d, paste0(name, ".arff"))
}
take <- function(package, names) {
    for (name in names) {
        forms(data_set(package, name), name)
    }
}
take("mlbench", c("Glass", "Sonar", "Vowel", "BreastCancer", "HouseVotes84", "Satellite", "Vehicle",
                  "Zoo", "Soybean", "DNA", "PimaIndiansDiabetes", "BostonHousing"))
take("kernlab", c("spam", "musk", "promotergene"))
take("modeldata", c("penguins", "two_class_dat", "mlc_churn"))
take("MASS", c("Pima.te", "crabs", "biopsy", "fgl", "birthwt", "cats"))
take("datasets", "iris")
