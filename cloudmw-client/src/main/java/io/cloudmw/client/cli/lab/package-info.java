/**
 * {@code cloudmw bench race}: modes side by side on stores whose answers are drawn from a law and a seed, or on real ones.
 * One thread drives; what crosses is counted by the proxy, not by what is measured. Peers join through
 * {@link io.cloudmw.client.cli.lab.ContenderProvider}.
 */
@NullMarked
package io.cloudmw.client.cli.lab;

import org.jspecify.annotations.NullMarked;
