/* The option table as documentation. Task: docs/options.md and configs/default.ini, made from
 * options.def and nothing else, so that neither can say what the program does not do; a test
 * compares the files in the tree with what these functions make. */
#include "options.h"

#include <string.h>

static const char *const section_titles[][2] = {
    {"data", "What is read, and how rows are scaled"},
    {"kernel", "The dot-product kernel that the map approximates"},
    {"map", "The random feature map"},
    {"solver", "How the linear SVM is trained"},
    {"tune", "What `dpsvm tune` compares, and how every choice by held-out rows is made"},
    {"run", "Resources, and how a run is run"},
    {"output", "What is written"},
};

const char *dps_options_section_title(const char *section)
{
    for (size_t i = 0; i < sizeof section_titles / sizeof section_titles[0]; i++) {
        if (strcmp(section_titles[i][0], section) == 0) {
            return section_titles[i][1];
        }
    }
    return "";
}

static bool opens_section(size_t id)
{
    const dps_option_info *table = dps_option_table();
    return id == 0 || strcmp(table[id].section, table[id - 1].section) != 0;
}

static const char *const ini_rules[] = {
    "`#` and `;` start a comment at the start of a line or after white space, outside quotes:\n"
    "  `C = 10 ; note` is 10, `train = a#1;b.svm` is the file `a#1;b.svm`.",
    "A value, or an item of a list, may stand in double or single quotes, which are taken off. "
    "Inside\n"
    "  quotes everything is kept. There are no escapes: to write one kind of quote use the other.",
    "Items of a list are separated by commas or blanks. A list may go on over several lines, "
    "each\n"
    "  indented deeper than its key. Names of columns may hold blanks (`sepal length, width`); "
    "names with\n"
    "  commas need quotes: `ignore_columns = \"height, cm\", width`, and `class_weight = \"grey, "
    "wet\":4`.",
    "A file name keeps the blanks inside it (`model = my model.dpsvm`). In a list of files a "
    "name with\n"
    "  blanks or commas needs quotes, unless the whole value is the name of one file that exists.",
    "A relative file name is relative to the folder of the INI file; on the command line it is "
    "relative\n"
    "  to the current folder. `-` is standard input or output. Names are bytes, of any encoding.",
    "A section may be opened again. A key given twice, an unknown key and an unknown section are "
    "errors.",
    "Numbers use a decimal point, are read whole (`10x` is an error) and must be finite and in "
    "range.",
    "A size takes k, M, G or T, which count by 1024: `512k`, `800M`, `4G`; `KB` and `KiB` mean "
    "the same.",
    "on/off may also be written true/false, yes/no, 1/0, in large or small letters.",
    "CRLF line ends and a UTF-8 byte order mark are accepted.",
    NULL};

const char *const *dps_options_ini_rules(void)
{
    return ini_rules;
}

static void add_markdown_head(dps_text *out)
{
    dps_text_add(
        out,
        "# Options\n"
        "\n"
        "Generated from `src/config/options.def`. Every option can stand in the INI file, as `key "
        "= value`\n"
        "below its `[section]`, and on the command line, as `--section.key=value`, which wins over "
        "the file\n"
        "(of several the last one counts). Every option has a default that works.\n"
        "\n"
        "## How an INI file is read\n"
        "\n");
    for (const char *const *rule = ini_rules; *rule != NULL; rule++) {
        dps_text_format(out, "- %s\n", *rule);
    }
    dps_text_add(
        out,
        "\n"
        "The column *model* says whether the model that `train` writes may depend on the option.\n"
        "`dpsvm tune` writes every one that does, and that was set, into `tune.ini`, so that "
        "training\n"
        "by that file gives the same model byte for byte; a checkpoint is gone on with only where "
        "they\n"
        "all agree.\n");
}

/* A pipe would end the cell of a markdown table, an angle bracket begin a tag. */
static void add_cell(dps_text *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const char letter[] = {*c, '\0'};
        dps_text_add(out, *c == '|' ? "\\|" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : letter);
    }
}

void dps_options_markdown(dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    add_markdown_head(out);
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_info *row = &table[id];
        if (opens_section(id)) {
            dps_text_format(out, "\n## [%s]\n\n%s.\n\n", row->section,
                            dps_options_section_title(row->section));
            dps_text_add(
                out,
                "| key | default | value | model | meaning |\n| --- | --- | --- | --- | --- |\n");
        }
        bool empty = row->default_text[0] == '\0';
        dps_text_format(out, "| `%s` | %s%s%s | ", row->key, empty ? "" : "`",
                        empty ? "none" : row->default_text, empty ? "" : "`");
        dps_option_expected((dps_option_id)id, out);
        const bool changes = row->effect == DPS_EFFECT_MODEL || row->effect == DPS_EFFECT_ROWS;
        dps_text_add(out, changes ? " | yes | " : " | no | ");
        add_cell(out, row->help);
        dps_text_add(out, " |\n");
    }
}

void dps_options_default_ini(dps_text *out)
{
    const dps_option_info *table = dps_option_table();
    dps_text_add(
        out, "# All options with their defaults. A config needs only [data] with train = FILE;\n"
             "# copy the lines you want to change. docs/options.md has the rules of this file.\n");
    for (size_t id = 0; id < DPS_OPTION_COUNT; id++) {
        const dps_option_info *row = &table[id];
        if (opens_section(id)) {
            dps_text_format(out, "\n# %s\n[%s]\n", dps_options_section_title(row->section),
                            row->section);
        }
        dps_text_format(out, "\n# %s\n# ", row->help);
        dps_option_expected((dps_option_id)id, out);
        dps_text_format(out, "\n%s =%s%s\n", row->key, row->default_text[0] == '\0' ? "" : " ",
                        row->default_text);
    }
}
