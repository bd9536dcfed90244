/**
 * {@code cloudmw torture}: clients that change and read files of a fleet of real processes while a schedule of faults, drawn
 * from a seed, does to it what happens to fleets; every answer is compared with what the model allows. Knows the product by
 * its public API, its processes, its disks and its network only.
 *
 * <p>Each client has a thread that changes and one that reads; each fault that lasts has one.
 */
@NullMarked
package io.cloudmw.client.cli.torture;

import org.jspecify.annotations.NullMarked;
