#!/bin/sh
# Installs the programs that `cargo bench --bench peers` compares with: numpy and pandas, R with lme4 and jsonlite. Run as root on Debian.
set -eu
apt-get install -y --no-install-recommends python3-pip r-base-core r-cran-lme4 r-cran-jsonlite
python3 -c 'import numpy, pandas' 2>/dev/null || pip install numpy pandas || pip install --break-system-packages numpy pandas
