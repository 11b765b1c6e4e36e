# Tables for strangers.py as a stranger writes them: write.csv without row names, the label last and named class (or
# target, where it is a number to predict), texts and factors quoted, NA where a value is missing. Left out: names and
# numbers of rows, columns that say what the label says, rows without a label.
# Runs in the folder of the tables: NAME.csv.   sh tests/benchmarks/r_data.sh FOLDER tests/benchmarks/strangers.R ...
source(file.path(Sys.getenv("BENCHMARKS"), "r_data.R"))
put <- function(package, name, label, without = NULL, kind = "class") {
    d <- data_set(package, name)
    d <- d[!is.na(d[[label]]), ]
    last <- d[[label]]
    d <- d[, setdiff(names(d), c(label, without)), drop = FALSE]
    d[[kind]] <- last
    write.csv(d, paste0(name, ".csv"), row.names = FALSE)
}
target <- function(package, name, label, without = NULL) put(package, name, label, without, "target")

for (name in c("Sonar", "Vowel", "Ionosphere", "Vehicle", "DNA", "HouseVotes84", "Soybean", "Shuttle")) {
    put("mlbench", name, "Class")
}
put("mlbench", "BreastCancer", "Class", "Id")
put("mlbench", "PimaIndiansDiabetes", "diabetes")
put("mlbench", "Glass", "Type")
put("mlbench", "Satellite", "classes")
put("mlbench", "LetterRecognition", "lettr")
put("mlbench", "Zoo", "type")
put("kernlab", "spam", "type")
put("kernlab", "musk", "Class")
put("kernlab", "promotergene", "Class")
put("kernlab", "income", "INCOME")
put("kernlab", "ticdata", "CARAVAN")
put("modeldata", "cells", "class", "case")
put("modeldata", "attrition", "Attrition")
put("modeldata", "credit_data", "Status")
put("modeldata", "ad_data", "Class")
put("modeldata", "pd_speech", "class")
put("modeldata", "hpc_data", "class")
put("modeldata", "mlc_churn", "churn")

target("mlbench", "BostonHousing", "medv")
target("mlbench", "Ozone", "V4")
target("modeldata", "ames", "Sale_Price")
target("modeldata", "concrete", "compressive_strength")
target("modeldata", "car_prices", "Price")
target("modeldata", "Sacramento", "price")
target("modeldata", "meats", "fat", c("water", "protein"))
target("modeldata", "biomass", "HHV", c("sample", "dataset"))
target("AER", "HousePrices", "price")
target("AER", "CPS1985", "wage")
target("ggplot2", "diamonds", "price")
