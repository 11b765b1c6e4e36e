/* A program with one bug of each kind that faults.py is there for; it must see all of them
 * (planted). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char *volatile never_checked = malloc(208);
    memset(never_checked, 'x', 200);
    char *volatile left_behind = malloc(300);
    if (left_behind == NULL) {
        fprintf(stderr, "dpsvm: no memory\n"); /* never_checked is lost */
        return 1;
    }
    const int in_place = open("out.model", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    /* not all of it; nor is an error seen; and 8 bytes have no value */
    (void)!write(in_place, never_checked, 208);
    close(in_place);
    free(left_behind);
    free(never_checked);
    return 0;
}
