package io.cloudmw.lab.race;

import io.cloudmw.lab.s3.Traffic;

/**
 * A measured read.
 *
 * @param seconds in emulated time: measured time multiplied by the time scale
 * @param fileBytes the size of the file
 * @param crossed the traffic through the proxy
 * @param cpuLoad of the whole machine during the read, 0..1; NaN when the platform does not report it
 */
record Sample(double seconds, long fileBytes, Traffic crossed, double cpuLoad) {}
