/* Products of OpenBLAS against a plain loop, and the choice of its kernels before main begins.
 *
 * With --core as its argument the program only says which kernels it ended up with. */
#include <stdio.h>

#include "check.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"
#include "trainer/core/kernel.h"

TEST(products_of_odd_sizes_are_right) { CHECK(blas_is_right(), "%s computes wrong products", blas_name()); }

TEST(a_product_over_nothing_scales_what_is_there)
{
    real c[6] = {1, 2, 3, 4, 5, 6};
    blas_gemm(false, false, 2, 2, 0, 1, NULL, 0, NULL, 0, (real)0.5, c, 3);
    const real half[6] = {(real)0.5, 1, 3, 2, (real)2.5, 6};
    CHECK(memcmp(c, half, sizeof c) == 0, "%s", "beta was not applied");
    c[0] = (real)NAN;
    blas_gemm(false, false, 2, 2, 0, 1, NULL, 0, NULL, 0, 0, c, 3);
    CHECK(c[0] == 0 && c[4] == 0 && c[2] == 3, "%s", "beta 0 must not read C");
    blas_gemm(false, false, 0, 2, 3, 1, NULL, 0, NULL, 0, 0, NULL, 0);
}

TEST(the_kernels_of_openblas_are_those_of_the_processor)
{
    char name[64];
    cpu_name(name, sizeof name);
    CHECK(*name && *name != ' ', "'%s'", name);
    CHECK(strstr(blas_name(), blas_core()) && strncmp(blas_name(), "OpenBLAS ", 9) == 0, "%s", blas_name());
    CHECK(blas_threads() == 1, "%d threads", blas_threads());
    CHECK(strcmp(kernels()->level, cpu_level_name(cpu_level())) == 0, "kernels %s", kernels()->level);
    if (cpu_level() < CPU_V4 || !blas_has_cores()) skip();
    static const char *const new[] = {"SkylakeX", "Cooperlake", "Sapphirerapids"};
    bool found = false;
    for (int i = 0; i < 3; i++) found = found || strcasecmp(blas_core(), new[i]) == 0;
    CHECK(found, "%s on a processor with AVX-512", blas_core());
}

int main(int argc, char **argv)
{
    if (blas_prepare(argc, argv) != OK) return 1;
    if (argc > 1 && strcmp(argv[1], "--core") == 0) return puts(blas_core()) < 0;
    const struct CMUnitTest tests[] = {RUN(products_of_odd_sizes_are_right),
                                       RUN(a_product_over_nothing_scales_what_is_there),
                                       RUN(the_kernels_of_openblas_are_those_of_the_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
