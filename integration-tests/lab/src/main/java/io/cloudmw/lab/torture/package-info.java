/** The torture test: seeded operations and faults, checked against a model. */
@NullMarked
package io.cloudmw.lab.torture;

import org.jspecify.annotations.NullMarked;
