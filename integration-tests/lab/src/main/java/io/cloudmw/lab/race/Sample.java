package io.cloudmw.lab.race;

import io.cloudmw.lab.s3.Traffic;

/**
 * A measured read.
 *
 * @param seconds in emulated time: what the clock showed times the time scale
 * @param fileBytes what was wanted
 * @param cpuLoad of the whole machine meanwhile, 0..1; NaN when the platform does not say
 */
record Sample(double seconds, long fileBytes, Traffic crossed, double cpuLoad) {}
