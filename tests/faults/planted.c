/* A program with one bug of each kind that faults.py is there for; it must see all of them
 * (planted). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char *volatile never_checked = malloc(200);
    memset(never_checked, 'x', 200);
    char *volatile left_behind = malloc(300);
    if (left_behind == NULL) {
        fprintf(stderr, "dpsvm: no memory\n"); /* never_checked is lost */
        return 1;
    }
    const int in_place = open("out.model", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    (void)!write(in_place, never_checked, 200); /* not all of it; nor is an error seen */
    close(in_place);
    free(left_behind);
    free(never_checked);
    return 0;
}
