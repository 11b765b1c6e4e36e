/* Rows and wishes for tests of planning. */
#ifndef DPS_PLAN_FIXTURE_H
#define DPS_PLAN_FIXTURE_H

#include "unit/features/map_fixture.h"

/* What a configuration gives before planning: everything automatic. */
static inline dps_map_request wanted(const char *kernel)
{
    dps_map_request asked = fixture_request(fixture_recipe(kernel, 200));
    asked.kernel.sigma = NAN;
    asked.kernel.domain_scale = NAN;
    asked.kernel.degree = 10;
    asked.exact_degree = DPS_EXACT_AUTO;
    asked.collapse = true;
    asked.allocation = DPS_ALLOCATION_STRATIFIED;
    asked.scale = DPS_MAP_SCALE_UNIT;
    asked.base = DPS_BASE_RBF;
    asked.base_gamma = NAN;
    return asked;
}

static inline double radius2_of(const fixture_rows *r)
{
    double largest = 0.0;
    for (int64_t i = 0; i < r->rows; i++) {
        largest = fmax(largest, fixture_inner(r, i, i));
    }
    return sqrt(largest);
}

static dps_map_recipe recipe; /* of the last plan */
static dps_map_facts facts;
static dps_error err;

static inline dps_status plan(const dps_map_request *asked, const fixture_rows *r, bool dense)
{
    const dps_row_source source = fixture_source(r, dense);
    const dps_run run = fixture_run(1);
    return dps_map_plan(asked, &source, 1.0, radius2_of(r), dense, &run, &recipe, &facts, &err);
}

static inline void expect_plan(const dps_map_request *asked, const fixture_rows *r)
{
    if (plan(asked, r, true) != DPS_OK) {
        fail_msg("%s", err.text);
    }
}

static inline void expect_refusal(dps_map_request asked, const fixture_rows *r, const char *named)
{
    const dps_status status = plan(&asked, r, true);
    if (status != DPS_ERROR_CONFIG || strstr(err.text, named) == NULL) {
        fail_msg("expected a refusal that names %s, found status %d: %s", named, status, err.text);
    }
}

static fixture_rows rows;

static inline int make_rows(void **state)
{
    (void)state;
    rows = fixture_rows_new(900, 12, 1.0, 1.0, 51);
    return 0;
}

static inline int free_rows(void **state)
{
    (void)state;
    fixture_rows_free(&rows);
    return 0;
}

#endif
