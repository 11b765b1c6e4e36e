/* The program: everything is in cli.c. */
#include "cli.h"

int main(int argc, char **argv)
{
    return dps_cli_main(argc, argv);
}
