/* Planted bug: OpenMP threads count without a lock. */
int main(void)
{
    int count = 0;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 10000; i++) {
        count++;
    }
    return count == 0;
}
