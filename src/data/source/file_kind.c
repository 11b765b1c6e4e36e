/* Task: name the formats that people hand to a learner and that this one does not read, each with a
 * command that makes rows of it. Told by the magic numbers of the formats' specifications; a text
 * format by its first words. A file that is none of these goes to the parsers, which know the line.
 */
#define _GNU_SOURCE /* memmem */
#include "file_kind.h"

#include <stdbool.h>
#include <string.h>

#define PANDAS(call) "python3 -c 'import pandas; pandas." call ".to_csv(\"FILE.csv\", index=False)'"
#define R(call)      "R -e 'write.csv(" call ", \"FILE.csv\", row.names=FALSE)'"

/* Where the magic alone may be a table's first line: what else stands in the first bytes. */
typedef enum beside { NOTHING, CONTROL_BYTE, R_VERSION_2, R_VERSION_3 } beside;

typedef struct kind {
    beside beside;
    size_t at; /* where the magic stands */
    const char *magic;
    size_t length;
    const char *what, *remedy;
} kind;

#define MAGIC_WITH(beside, at, text) beside, at, text, sizeof text - 1
#define MAGIC(at, text)              MAGIC_WITH(NOTHING, at, text)

/* The first that fits: special forms before general ones. */
static const kind kinds[] = {
    {MAGIC(0, "\x1f\x8b\x08"), "gzip-compressed twice",
     "unpack it once: gzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x1f\x9d"), "packed with compress", "unpack it: gzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x1f\xa0"), "packed with compress (lzh)", "unpack it: gzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x1f\x1e"), "packed with pack", "unpack it: gzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x28\xb5\x2f\xfd"), "zstd-compressed twice",
     "unpack it once: zstd -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\xfd\x37zXZ"), "xz-compressed twice", "unpack it once: xz -dc FILE | dpsvm ... -"},
    {MAGIC(0, "BZh91AY&SY"), "bzip2-compressed twice",
     "unpack it once: bzip2 -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x04\x22\x4d\x18"), "lz4-compressed", "unpack it: lz4 -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x02\x21\x4c\x18"), "lz4-compressed", "unpack it: lz4 -dc FILE | dpsvm ... -"},
    {MAGIC(0, "LZIP\x01"), "lzip-compressed", "unpack it: lzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\x89LZO\0\r\n\x1a\n"), "lzop-compressed", "unpack it: lzop -dc FILE | dpsvm ... -"},
    {MAGIC(0, "\xff\x06\0\0sNaPpY"), "snappy-compressed",
     "unpack it: snzip -dc FILE | dpsvm ... -"},
    {MAGIC(0, "7z\xbc\xaf\x27\x1c"), "a 7z archive", "unpack it: 7z e -so FILE | dpsvm ... -"},
    {MAGIC(0, "Rar!\x1a\x07"), "a rar archive", "unpack it: unrar p -inul FILE | dpsvm ... -"},
    {MAGIC(0, "!<arch>\n"), "an ar archive", "unpack it: ar p FILE MEMBER | dpsvm ... -"},
    {MAGIC(257, "ustar"), "a tar archive", "unpack it: tar -xOf FILE MEMBER | dpsvm ... -"},
    {MAGIC_WITH(CONTROL_BYTE, 0, "PAR1"), "a Parquet file",
     "write it as CSV: " PANDAS("read_parquet(\"FILE\")")},
    {MAGIC(0, "ARROW1\0\0"), "an Arrow (Feather) file",
     "write it as CSV: " PANDAS("read_feather(\"FILE\")")},
    {MAGIC_WITH(CONTROL_BYTE, 0, "FEA1"), "a Feather file",
     "write it as CSV: " PANDAS("read_feather(\"FILE\")")},
    {MAGIC_WITH(CONTROL_BYTE, 0, "ORC\x0a"), "an ORC file",
     "write it as CSV: " PANDAS("read_orc(\"FILE\")")},
    {MAGIC(0, "Obj\x01"), "an Avro file", "write it as CSV (avro cat --format csv FILE)"},
    {MAGIC(0, "\x89HDF\r\n\x1a\n"), "an HDF5 file",
     "write it as CSV: " PANDAS("read_hdf(\"FILE\")")},
    {MAGIC(0, "MATLAB 7.3 MAT-file"), "a MATLAB file",
     "write it as CSV in MATLAB: writematrix([y X], 'FILE.csv')"},
    {MAGIC(0, "MATLAB 5.0 MAT-file"), "a MATLAB file",
     "write it as CSV in MATLAB or Octave: csvwrite('FILE.csv', [y X])"},
    {MAGIC(0, "CDF\x01"), "a netCDF file", "write it as CSV (ncdump shows what is in it)"},
    {MAGIC(0, "CDF\x02"), "a netCDF file", "write it as CSV (ncdump shows what is in it)"},
    {MAGIC(0, "RDX2\n"), "an R workspace (RData)", "write it as CSV: " R("get(load(\"FILE\"))")},
    {MAGIC(0, "RDX3\n"), "an R workspace (RData)", "write it as CSV: " R("get(load(\"FILE\"))")},
    {MAGIC(0, "RDA2\n"), "an R workspace (RData)", "write it as CSV: " R("get(load(\"FILE\"))")},
    {MAGIC(0, "RDA3\n"), "an R workspace (RData)", "write it as CSV: " R("get(load(\"FILE\"))")},
    {MAGIC(0, "X\n\0\0\0"), "an R object (RDS)", "write it as CSV: " R("readRDS(\"FILE\")")},
    {MAGIC_WITH(R_VERSION_2, 0, "A\n2\n"), "an R object (RDS)",
     "write it as CSV: " R("readRDS(\"FILE\")")},
    {MAGIC_WITH(R_VERSION_3, 0, "A\n3\n"), "an R object (RDS)",
     "write it as CSV: " R("readRDS(\"FILE\")")},
    {MAGIC(0, "\x80\x02"), "a Python pickle", "write it as CSV: " PANDAS("read_pickle(\"FILE\")")},
    {MAGIC(0, "\x80\x03"), "a Python pickle", "write it as CSV: " PANDAS("read_pickle(\"FILE\")")},
    {MAGIC(0, "\x80\x04"), "a Python pickle", "write it as CSV: " PANDAS("read_pickle(\"FILE\")")},
    {MAGIC(0, "\x80\x05"), "a Python pickle", "write it as CSV: " PANDAS("read_pickle(\"FILE\")")},
    {MAGIC(12, "\xc2\xea\x81\x60"), "a SAS data set",
     "write it as CSV: " PANDAS("read_sas(\"FILE\")")},
    {MAGIC(0, "HEADER RECORD*******"), "a SAS transport file",
     "write it as CSV: " PANDAS("read_sas(\"FILE\", format=\"xport\")")},
    {MAGIC(0, "$FL2@(#)"), "an SPSS file", "write it as CSV: " PANDAS("read_spss(\"FILE\")")},
    {MAGIC(0, "$FL3@(#)"), "an SPSS file", "write it as CSV: " PANDAS("read_spss(\"FILE\")")},
    {MAGIC(0, "<stata_dta>"), "a Stata file", "write it as CSV: " PANDAS("read_stata(\"FILE\")")},
    {MAGIC(0, "SQLite format 3"), "an SQLite database",
     "write it as CSV: sqlite3 -csv -header FILE 'select * from TABLE' | dpsvm ... -"},
    {MAGIC(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an Excel (xls) or other Office file",
     "save it as CSV: libreoffice --headless --convert-to csv FILE"},
    {MAGIC(0, "\0\0\x08"), "an IDX file (as MNIST's)",
     "write it as npy: python3 -c 'import numpy as n; n.save(\"FILE.npy\", n.fromfile(\"FILE\", "
     "n.uint8)[16:].reshape(-1, 784))', with the labels in one more column"},
    {MAGIC(0, "\x89PNG"), "an image", "give a file of rows"},
    {MAGIC(0, "\xff\xd8\xff"), "an image", "give a file of rows"},
    {MAGIC(0, "%PDF-"), "a PDF document", "give a file of rows"},
    {MAGIC(0, "\x7f"
              "ELF"),
     "a program", "give a data file"},
    {MAGIC(0, "\xff\xfe"), "UTF-16 text",
     "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE | dpsvm ... -"},
    {MAGIC(0, "\xfe\xff"), "UTF-16 text",
     "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE | dpsvm ... -"},
    {MAGIC(0, "dpsvm model "), "a dpsvm model", "give the file with the rows"},
    {MAGIC(0, "svm_type c_svc"), "a model of LIBSVM", "give the file with the rows"},
    {MAGIC(0, "svm_type nu_sv"), "a model of LIBSVM", "give the file with the rows"},
    {MAGIC(0, "svm_type one_class"), "a model of LIBSVM", "give the file with the rows"},
    {MAGIC(0, "svm_type epsilon_svr"), "a model of LIBSVM", "give the file with the rows"},
    {MAGIC(0, "solver_type L1R_"), "a model of LIBLINEAR", "give the file with the rows"},
    {MAGIC(0, "solver_type L2R_"), "a model of LIBLINEAR", "give the file with the rows"},
    {MAGIC(0, "solver_type MCSVM_CS"), "a model of LIBLINEAR", "give the file with the rows"},
    {MAGIC(0, "solver_type ONECLASS"), "a model of LIBLINEAR", "give the file with the rows"},
    {MAGIC(0, "<?xml"), "XML", "write it as CSV"},
    {MAGIC(0, "<!DOCTYPE"), "a web page",
     "was the download refused? Look at it, and get the data file"},
    {MAGIC(0, "<!doctype"), "a web page",
     "was the download refused? Look at it, and get the data file"},
    {MAGIC(0, "<html"), "a web page",
     "was the download refused? Look at it, and get the data file"},
    {MAGIC(0, "version https://git-lfs"), "a Git LFS pointer, not the file itself",
     "get the file: git lfs pull"},
};

static dps_status refuse(const char *shown, const char *what, const char *remedy, dps_error *err)
{
    return dps_error_at(err, DPS_ERROR_DATA, shown, 1, 0,
                        "the file is %s; text with rows, or an npy matrix, was expected: %s", what,
                        remedy);
}

#define BESIDE 32 /* bytes at a file's start that tell a format from a table */

static bool holds(const char *bytes, size_t length, const char *text)
{
    return memmem(bytes, length, text, strlen(text)) != NULL;
}

static bool has_control_byte(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char u = (unsigned char)bytes[i];
        if (u < 32 && u != '\t' && u != '\n' && u != '\r') {
            return true;
        }
    }
    return false;
}

static bool is_kind(const kind *k, const char *bytes, size_t length)
{
    if (length < k->at + k->length || memcmp(bytes + k->at, k->magic, k->length) != 0) {
        return false;
    }
    const size_t looked = length < BESIDE ? length : BESIDE;
    switch (k->beside) {
    case CONTROL_BYTE:
        return has_control_byte(bytes, looked);
    case R_VERSION_2: /* the version of R that can read it: 2.3.0 */
        return holds(bytes, looked, "\n131840\n");
    case R_VERSION_3: /* 3.5.0 */
        return holds(bytes, looked, "\n197888\n");
    case NOTHING:
        break;
    }
    return true;
}

/* Zip files by the names of their members. */
static dps_status refuse_zip(const char *shown, const char *bytes, size_t length, dps_error *err)
{
    if (holds(bytes, length, "word/document.xml") || holds(bytes, length, "ppt/presentation.xml")) {
        return refuse(shown, "a document of an Office program", "give a file of rows", err);
    }
    if (holds(bytes, length, "[Content_Types].xml") || holds(bytes, length, "xl/workbook.xml") ||
        holds(bytes, length, "xl/worksheets/")) {
        return refuse(shown, "a spreadsheet (xlsx)",
                      "save it as CSV: libreoffice --headless --convert-to csv FILE", err);
    }
    if (holds(bytes, length, "opendocument.spreadsheet")) {
        return refuse(shown, "a spreadsheet (ods)",
                      "save it as CSV: libreoffice --headless --convert-to csv FILE", err);
    }
    if (holds(bytes, length, ".npy")) {
        return refuse(shown, "an npz archive of NumPy",
                      "write one matrix: python3 -c 'import numpy as n; f = n.load(\"FILE\"); "
                      "n.save(\"FILE.npy\", n.c_[f[\"y\"], f[\"X\"]])'",
                      err);
    }
    return refuse(shown, "a zip archive", "unpack it: unzip -p FILE | dpsvm ... -", err);
}

/* Text of two bytes a letter, without a byte order mark. */
static bool is_wide_text(const char *bytes, size_t length)
{
    size_t zeros[2] = {0, 0};
    const size_t looked = length < 256 ? length & ~(size_t)1 : 256;
    for (size_t i = 0; i < looked; i++) {
        zeros[i % 2] += bytes[i] == '\0';
    }
    return looked >= 8 &&
           ((zeros[0] == 0 && zeros[1] == looked / 2) || (zeros[1] == 0 && zeros[0] == looked / 2));
}

/* A list or an object of JSON, also one a line. */
static bool is_json(const char *bytes, size_t length)
{
    const char *p = bytes, *end = bytes + length;
    const char opens = p < end ? *p : '\0';
    if (opens != '{' && opens != '[') {
        return false;
    }
    do {
        p++;
    } while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'));
    return p < end && (*p == '"' || *p == '{' || *p == '[' || (opens == '[' && *p == ']'));
}

dps_status dps_file_kind_check(const char *shown, const char *bytes, size_t length, dps_error *err)
{
    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* UTF-8 byte order mark */
        bytes += 3;
        length -= 3;
    }
    if (length >= 4 && memcmp(bytes, "PK\x03\x04", 4) == 0) {
        return refuse_zip(shown, bytes, length, err);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (is_kind(&kinds[i], bytes, length)) {
            return refuse(shown, kinds[i].what, kinds[i].remedy, err);
        }
    }
    if (is_wide_text(bytes, length)) {
        return refuse(shown, "UTF-16 text",
                      "save it as UTF-8: iconv -f UTF-16LE -t UTF-8 FILE | dpsvm ... -", err);
    }
    return is_json(bytes, length)
               ? refuse(shown, "JSON",
                        "write it as CSV: " PANDAS(
                            "read_json(\"FILE\")") " (lines=True for an object a line)",
                        err)
               : DPS_OK;
}
