/** The benchmark of tail latency: modes and baselines over emulated or given stores. */
@NullMarked
package io.cloudmw.lab.race;

import org.jspecify.annotations.NullMarked;
