/* Bugs that the analyser must see (analyse.py): a NULL that is written to, and memory that nobody frees. */
#include <stdlib.h>

int planted(int n);

int planted(int n)
{
    int *p = n > 3 ? malloc(sizeof *p) : NULL;
    *p = n;
    return n;
}
