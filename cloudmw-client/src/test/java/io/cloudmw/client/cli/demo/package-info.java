/** The demo's report, with answers known beforehand. */
@NullMarked
package io.cloudmw.client.cli.demo;

import org.jspecify.annotations.NullMarked;
