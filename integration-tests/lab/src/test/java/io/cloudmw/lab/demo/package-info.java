/** Tests of the demonstration's report. */
@NullMarked
package io.cloudmw.lab.demo;

import org.jspecify.annotations.NullMarked;
