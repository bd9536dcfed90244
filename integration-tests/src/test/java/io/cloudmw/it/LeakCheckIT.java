package io.cloudmw.it;

import io.cloudmw.core.testing.leak.LeakCheckContract;

final class LeakCheckIT extends LeakCheckContract {}
