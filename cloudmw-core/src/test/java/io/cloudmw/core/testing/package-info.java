/**
 * Support for tests of every module: a clock that tests advance, and the simulation of whole transfers in virtual
 * time. Single-threaded unless a class says otherwise.
 */
@NullMarked
package io.cloudmw.core.testing;

import org.jspecify.annotations.NullMarked;
