/** The demonstration: one file read over stores of varying speed, with its report. */
@NullMarked
package io.cloudmw.lab.demo;

import org.jspecify.annotations.NullMarked;
