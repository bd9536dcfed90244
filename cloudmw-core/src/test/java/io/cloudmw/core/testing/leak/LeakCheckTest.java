package io.cloudmw.core.testing.leak;

final class LeakCheckTest extends LeakCheckContract {}
