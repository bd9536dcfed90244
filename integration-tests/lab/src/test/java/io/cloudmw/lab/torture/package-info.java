/** Tests of the torture test. */
@NullMarked
package io.cloudmw.lab.torture;

import org.jspecify.annotations.NullMarked;
