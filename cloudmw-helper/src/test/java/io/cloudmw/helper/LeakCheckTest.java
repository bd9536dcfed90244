package io.cloudmw.helper;

import io.cloudmw.core.testing.leak.LeakCheckContract;

final class LeakCheckTest extends LeakCheckContract {}
