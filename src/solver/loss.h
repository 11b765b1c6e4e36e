/* Losses of the margin m = y <w, z>, as a table. */
#ifndef DPS_LOSS_H
#define DPS_LOSS_H

typedef struct dps_loss {
    const char *name;
    double (*value)(double margin);
    /* -conjugate(-a): what a row with multiplier a = alpha / (c_i C) >= 0 adds to the dual, over
     * c_i C: hinge: a (0 <= a <= 1); squared hinge: a - a^2 / 4 (a >= 0). -INFINITY outside the
     * domain. */
    double (*dual)(double a);
} dps_loss;

extern const dps_loss dps_loss_hinge, dps_loss_squared_hinge;
const dps_loss *dps_loss_find(const char *name);
const char *const *dps_loss_names(void);

#endif
