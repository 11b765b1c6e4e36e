# A recipe for Spack: a repository of your own (spack repo create), this file as packages/dpsvm/package.py.
# The steps are those of build.sh; the packages those of dev.sh, by their names in Spack.
from spack.package import *


class Dpsvm(CMakePackage):
    """Kernel classifiers at the cost of linear ones: random features and linear SVMs, for laptops and clusters."""

    # where the source is: spack dev-build dpsvm@0.2.0 in a checkout, or a git address or archive of yours
    maintainers = []

    version("0.2.0")

    variant("mpi", default=True, description="Ranks over MPI")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("random123", type="build")
    depends_on("xxhash", type="build")
    depends_on("cjson")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("bzip2")
    depends_on("xz")
    depends_on("mpi@3:", when="+mpi")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("DPSVM_WITH_MPI", "ON" if self.spec.satisfies("+mpi") else "OFF"),
        ]
