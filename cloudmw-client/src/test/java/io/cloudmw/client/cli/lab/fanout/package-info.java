/** The fan-out's counting, against a fleet of one helper. */
@NullMarked
package io.cloudmw.client.cli.lab.fanout;

import org.jspecify.annotations.NullMarked;
