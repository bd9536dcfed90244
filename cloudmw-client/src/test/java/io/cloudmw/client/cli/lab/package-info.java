/** The lab's arithmetic, with answers known beforehand. */
@NullMarked
package io.cloudmw.client.cli.lab;

import org.jspecify.annotations.NullMarked;
