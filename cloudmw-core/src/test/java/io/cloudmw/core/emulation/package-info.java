/** The laws against their own figures. */
@NullMarked
package io.cloudmw.core.emulation;

import org.jspecify.annotations.NullMarked;
