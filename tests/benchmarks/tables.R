# Data sets of R packages as R writes them: write.csv with and without row names, write.csv2, write.table, write.arff.
# Arguments: the folder of R's packages that the sets come from (unpacked, see tables.sh).
home <- commandArgs(trailingOnly = TRUE)[1]
library(utils, lib.loc = file.path(home, "library"))
library(foreign, lib.loc = file.path(home, "library"))
forms <- function(d, name) {
    d <- as.data.frame(d)
    write.csv(d, paste0(name, ".csv"))
    write.csv(d, paste0(name, ".bare.csv"), row.names = FALSE)
    write.csv2(d, paste0(name, ".semicolon.csv"), row.names = FALSE)
    write.table(d, paste0(name, ".table"))
    write.arff(d, paste0(name, ".arff"))
}
take <- function(library, package, names) {
    base <- file.path(home, library, package, "data")
    for (name in names) {
        e <- new.env()
        if (file.exists(file.path(base, "Rdata.rdb"))) {
            lazyLoad(file.path(base, "Rdata"), e)
        } else {
            load(file.path(base, paste0(name, ".rda")), envir = e)
        }
        forms(get(name, e), name)
    }
}
take("site-library", "mlbench", c("Glass", "Sonar", "Vowel", "BreastCancer", "HouseVotes84", "Satellite", "Vehicle",
                                  "Zoo", "Soybean", "DNA", "PimaIndiansDiabetes", "BostonHousing"))
take("site-library", "kernlab", c("spam", "musk", "promotergene"))
take("site-library", "modeldata", c("penguins", "two_class_dat", "mlc_churn"))
take("library", "MASS", c("Pima.te", "crabs", "biopsy", "fgl", "birthwt", "cats"))
take("library", "datasets", "iris")
