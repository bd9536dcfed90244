/** The benchmark of switches: many clients read the same file. */
@NullMarked
package io.cloudmw.lab.fanout;

import org.jspecify.annotations.NullMarked;
