package io.cloudmw.client;

import io.cloudmw.core.testing.leak.LeakCheckContract;

final class LeakCheckTest extends LeakCheckContract {}
