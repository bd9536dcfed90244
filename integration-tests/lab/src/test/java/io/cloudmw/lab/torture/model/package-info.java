/** Tests of the torture test's model. */
@NullMarked
package io.cloudmw.lab.torture.model;

import org.jspecify.annotations.NullMarked;
