/* The program: everything is in cli.c. */
#include "cli.h"
#include "passive_wait.h"

int main(int argc, char **argv)
{
    dps_passive_wait();
    return dps_cli_main(argc, argv);
}
