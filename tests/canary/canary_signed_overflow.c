/* Planted bug: a signed sum that overflows. */
#include <limits.h>

int main(void)
{
    volatile int most = INT_MAX;
    most = most + 1;
    return 0;
}
