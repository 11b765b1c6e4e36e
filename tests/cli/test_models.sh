#!/bin/sh
# Every figure that train reports is one of the model that it wrote: check_models (models/check_models.c) computes
# objective, gap, accuracy and "converged" again, from the model file and the mapped rows, over random configurations:
# all solvers, losses and maps, C from 1e-6 to 1e6, D from 1 to 70,000, 2 to 300 rows. 200 trainings, or 1,000 with
# DPSVM_LONG=1 (./dev.sh test --long). To see one again: DPSVM=build/ci/dpsvm build/ci/tests/check_models N N 1.
. "$SOURCE/tests/cli/check.sh"

least=200
[ "${DPSVM_LONG:-0}" = 0 ] || least=1000
last=$((least * 11 / 10)) # some are refused
mkdir odd even
(cd odd && "$CHECK_MODELS" 1 $last 2 > ../odd.log 2>&1) &
(cd even && "$CHECK_MODELS" 2 $last 2 > ../even.log 2>&1)
wait
checked=0
refused=0
numerical=0
for log in odd.log even.log; do
    # checked N, refused N, numerical N, wrong N
    read -r _ a _ b _ c _ wrong <<END
$(tail -n 1 $log | tr -d ,)
END
    checked=$((checked + a)) refused=$((refused + b)) numerical=$((numerical + c))
    [ "$wrong" -eq 0 ] || { fail "$wrong models are not what train said of them"; cat $log >&2; }
done
[ $((checked + refused + numerical)) -eq $last ] || fail "$checked checked, $refused refused, $numerical failed of $last"
[ $((100 * numerical)) -le $last ] || fail "$numerical numerical failures of $last: more than 1 %"
[ "$checked" -ge $least ] || fail "$checked trainings were checked, expected $least; $refused of $last were refused"
finish
