# What the R scripts of r_data.sh share: a data set of an unpacked package. home: the folder of R's packages.
home <- commandArgs(trailingOnly = TRUE)[1]
library(utils, lib.loc = file.path(home, "library"))
data_set <- function(package, name) {
    library <- if (dir.exists(file.path(home, "library", package))) "library" else "site-library"
    base <- file.path(home, library, package, "data")
    e <- new.env()
    if (file.exists(file.path(base, "Rdata.rdb"))) {
        lazyLoad(file.path(base, "Rdata"), e)
    } else {
        load(file.path(base, paste0(name, ".rda")), envir = e)
    }
    as.data.frame(get(name, e))
}
