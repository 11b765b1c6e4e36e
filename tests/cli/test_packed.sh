#!/bin/sh
# Packed files as the formats' own tools and their relatives write them mean what is in them; files of other formats are
# named, with what to do.
. "$SOURCE/tests/cli/check.sh"

rows 5 60 4 > train.svm
head -n 30 train.svm > one
tail -n +31 train.svm > two
run 0 "$DPSVM" train train.svm --kernel.type=linear -o model -q

# same_model FILE: training on it gives the model of train.svm, predicting 60 lines, also through a pipe.
same_model() {
    run 0 "$DPSVM" train "$1" --kernel.type=linear -o packed.model -q
    same model packed.model
    run 0 "$DPSVM" predict model "$1" -q
    lines 60 out
    step="train - < $1"
    cat "$1" | "$DPSVM" train - --kernel.type=linear -o packed.model -q 2> err || fail "status $?"
    same model packed.model
}
# le32 NUMBER: four bytes, little-endian
le32() {
    printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8 & 255)))\\$(printf %o $(($1 >> 16 & 255)))\\$(printf %o $(($1 >> 24 & 255)))"
}
skippable() { # NIBBLE BYTES
    printf "\\$(printf %o $((80 + $1)))\052\115\030"
    le32 "$2"
    head -c "$2" /dev/zero | tr '\0' x
}

# there TOOL: it is on this machine; without it its part is said to be left out.
there() {
    command -v "$1" > /dev/null || { untried "files packed with $1: no $1"; return 1; }
}

if there gzip; then
    gzip -c train.svm > plain.gz
    same_model plain.gz
    { gzip -c one; gzip -c9 two; } > members.gz
    same_model members.gz
    { gzip -c one; gzip -c < /dev/null; gzip -c two; } > empty_member.gz
    same_model empty_member.gz
    for zeros in 1 2 3 600; do
        { cat members.gz; head -c $zeros /dev/zero; } > zeros.gz
        same_model zeros.gz
    done
    { cat plain.gz; echo garbage behind it; } > garbage.gz # "gzip: decompression OK, trailing garbage ignored"
    same_model garbage.gz
    gzip -c --name train.svm > named.gz
    same_model named.gz
    { gzip -c one; gzip -c two | head -c 1; } > cut.gz
    refused 3 'cut\.gz.*gzip data are cut short' "$DPSVM" train cut.gz -o x -q
    gzip -c plain.gz > twice.gz
    refused 3 'twice\.gz.*gzip-compressed twice.*gzip -dc' "$DPSVM" train twice.gz -o x -q
fi

if there zstd; then
    zstd -q -c train.svm > plain.zst
    same_model plain.zst
    { zstd -q -c one; zstd -q -19 --no-check -c two; } > frames.zst
    same_model frames.zst
    for nibble in 0 1 15; do
        { skippable $nibble 8; cat frames.zst; } > skip_first.zst
        same_model skip_first.zst
    done
    { skippable 0 0; zstd -q -c one; skippable 3 70000; skippable 4 5; zstd -q -c two; skippable 2 9; } > skip_many.zst
    same_model skip_many.zst
    { cat frames.zst; head -c 300 /dev/zero; } > zeros.zst
    same_model zeros.zst
    zstd -q --long=31 -c train.svm > long_small.zst
    same_model long_small.zst
    # a window of 256 MiB, which zstd -d takes with --long=28 only
    { cat train.svm; head -c 1000000 /dev/zero | tr '\0' '\n'; } | zstd -q --long=28 --zstd=wlog=28 -c > long.zst
    same_model long.zst
    step='a window that memory does not hold'
    (ulimit -v 250000; "$DPSVM" predict model long.zst -q --run.threads=1) > out 2> err
    [ $? -eq 1 ] || fail 'taken'
    says 'no memory for unpacking.*zstd -dc --long=31 FILE'
    { cat plain.zst; echo garbage; } > garbage.zst # zstd -d refuses it, too
    refused 3 'garbage\.zst.*no zstd frame' "$DPSVM" train garbage.zst -o x -q
    if zstd -q --train -B64 train.svm -o dictionary --maxdict=256 2> /dev/null; then
        zstd -q -D dictionary -c train.svm > dictionary.zst
        refused 3 'dictionary\.zst.*zstd dictionary.*-D DICTIONARY' "$DPSVM" train dictionary.zst -o x -q
    else
        untried 'a zstd dictionary: this zstd makes none'
    fi
    if there pzstd; then
        run 0 pzstd -q -p 2 -c train.svm
        mv out parallel.zst
        same_model parallel.zst
    fi
fi

# unpacks NAME: this build does; a build without the library names it and the command.
unpacks() {
    "$DPSVM" version | grep -q "^unpacks .*[ ,]$1\(,\|$\| (\)"
}
if there bzip2; then
    bzip2 -c train.svm > plain.bz2
    if unpacks bzip2; then
        same_model plain.bz2
        { bzip2 -c one; bzip2 -1 -c two; } > streams.bz2
        same_model streams.bz2
        { bzip2 -c one; bzip2 -c < /dev/null; bzip2 -c two; echo garbage; } > garbage.bz2
        same_model garbage.bz2
        head -c 200 plain.bz2 > cut.bz2
        refused 3 'cut\.bz2.*bzip2 data are cut short' "$DPSVM" train cut.bz2 -o x -q
        { head -c 100 plain.bz2; head -c 20 /dev/zero; tail -c +121 plain.bz2; } > bad.bz2
        refused 3 'bad\.bz2.*bzip2 data are damaged' "$DPSVM" train bad.bz2 -o x -q
    else
        untried 'unpacking bzip2: built without libbz2-dev'
        refused 3 'packed with bzip2.*libbz2-dev.*bzip2 -dc FILE' "$DPSVM" train plain.bz2 -o x -q
    fi
fi
if there xz; then
    xz -c train.svm > plain.xz
    if unpacks xz; then
        same_model plain.xz
        { xz -c one; head -c 8 /dev/zero; xz -9e --check=sha256 -c two; head -c 4 /dev/zero; } > streams.xz
        same_model streams.xz
        xz --format=lzma -c train.svm > plain.lzma
        same_model plain.lzma
        xz --block-size=500 -c train.svm > blocks.xz
        same_model blocks.xz
        head -c 200 plain.xz > cut.xz
        refused 3 'cut\.xz.*xz data are cut short' "$DPSVM" train cut.xz -o x -q
        { head -c 100 plain.xz; head -c 20 /dev/zero; tail -c +121 plain.xz; } > bad.xz
        refused 3 'bad\.xz.*xz data are damaged' "$DPSVM" train bad.xz -o x -q
    else
        untried 'unpacking xz: built without liblzma-dev'
        refused 3 'packed with xz.*liblzma-dev.*xz -dc FILE' "$DPSVM" train plain.xz -o x -q
    fi
fi

# Packed and plain files are one input, tables as well.
awk '{ sub(/^[-+]?1/, NR % 2 ? "a" : "b"); gsub(/ [0-9]:/, ","); print }' train.svm > train.csv
run 0 "$DPSVM" train train.csv --data.label_column=1 --kernel.type=linear -o table.model -q
for tool in gzip zstd bzip2 xz; do
    case $tool in bzip2 | xz) unpacks $tool || continue ;; esac
    command -v $tool > /dev/null || continue
    $tool -c train.csv > table.packed
    run 0 "$DPSVM" train table.packed --data.label_column=1 --kernel.type=linear -o packed.model -q
    same table.model packed.model
    $tool -c one > one.packed
    run 0 "$DPSVM" train --data.train=one.packed,two --kernel.type=linear -o packed.model -q
    same model packed.model
done

# named PATTERN PRINTF-TEXT: refused by its content, with the remedy.
named() {
    printf "$2" > unnamed
    refused 3 "unnamed:1: the file is $1" "$DPSVM" train unnamed -o x -q
    step="from a pipe: $1"
    "$DPSVM" train - -o x -q < unnamed > out 2> err
    [ $? -eq 3 ] || fail 'not refused'
    says "standard input:1: the file is $1"
}
named 'a Parquet file.*read_parquet' 'PAR1\25\0\25\0'
named 'an Arrow \(Feather\) file.*read_feather' 'ARROW1\0\0'
named 'a Feather file.*read_feather' 'FEA1\0\0\0\0'
named 'an HDF5 file.*read_hdf' '\211HDF\r\n\032\n\0\0'
named 'a netCDF file' 'CDF\001\0\0'
named 'a MATLAB file' 'MATLAB 5.0 MAT-file, Platform: GLNXA64'
named 'an R workspace.*load.*row.names=FALSE' 'RDX3\nX\n\0\0\0\3'
named 'an R object.*readRDS' 'X\n\0\0\0\3\0\4'
named 'a Python pickle.*read_pickle' '\200\004\225\020\0'
named 'a spreadsheet \(xlsx\).*libreoffice' 'PK\003\004\024\0\6\0\10\0[Content_Types].xml'
named 'an npz archive.*n.load' 'PK\003\004\024\0\0\0\0\0\0\0!\0X.npy'
named 'a zip archive.*unzip -p' 'PK\003\004\024\0\0\0\0\0data.csv'
named 'an Excel' '\320\317\021\340\241\261\032\341\0\0'
named 'lz4-compressed.*lz4 -dc' '\004\042\115\030\0\0'
named 'packed with compress.*gzip -dc' '\037\235\220\0\0'
named 'a 7z archive.*7z e' '7z\274\257\047\034\0\0'
named 'an SQLite database.*sqlite3 -csv' 'SQLite format 3\0'
named 'a Stata file.*read_stata' '<stata_dta><header>'
named 'an SPSS file.*read_spss' '$FL2@(#) SPSS'
named 'JSON.*read_json' '[{"a": 1, "b": 2}]'
named 'JSON.*read_json' '{"a": 1}\n{"a": 2}\n'
named 'a web page.*download' '<!DOCTYPE html>\n<html>'
named 'UTF-16 text.*iconv' '\377\3761\0 \0001\0'
named 'UTF-16 text.*iconv' '1\0 \0001\0:\0001\0\n\0001\0'
named 'a Git LFS pointer.*git lfs pull' 'version https://git-lfs.github.com/spec/v1\n'
named 'a model of LIBSVM' 'svm_type c_svc\n'
named 'a model of LIBSVM' 'svm_type nu_svr\nkernel_type rbf\n'
named 'a model of LIBLINEAR' 'solver_type L2R_LR\n'
named 'an R object' 'A\n3\n262657\n197888\n5\nUTF-8\n'
named 'a document of an Office program' 'PK\003\004\024\0\6\0\10\0[Content_Types].xml word/document.xml'
named 'a spreadsheet \(xlsx\)' 'PK\003\004\024\0\6\0\10\0xl/worksheets/sheet1.xml'
named 'a zip archive' 'PK\003\004\024\0\0\0\0\0data.csv xl/ '
# a table whose first name begins as such a file does
for names in FEA1,FEA2,y PAR1,PAR2,y ARROW1,ARROW2,y 'svm_type x y' 'solver_type x y' '$FL2,x,y'; do
    echo "$names" > names.csv
    awk -v blank="$(echo "$names" | grep -c ' ')" '
        { s = blank ? " " : ","; print NR % 7 / 2 s NR % 3 s (NR % 2 ? "p" : "q") }' train.svm >> names.csv
    step="a table of $names"
    run 0 "$DPSVM" train names.csv --kernel.type=linear -o names.model -q
done

if there tar; then
    run 0 tar -cf rows.tar train.svm
    refused 3 'rows.tar:1: the file is a tar archive.*tar -xOf' "$DPSVM" train rows.tar -o x -q
    if command -v gzip > /dev/null; then
        gzip -c rows.tar > rows.tgz
        refused 3 'rows.tgz:1: the file is a tar archive.*tar -xOf' "$DPSVM" train rows.tgz -o x -q
    fi
fi

finish
