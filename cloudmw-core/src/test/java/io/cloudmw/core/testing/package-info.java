/**
 * What tests of every module may use: a clock that is told what time it is, and the simulation of whole transfers in
 * virtual time. Single-threaded unless a class says otherwise.
 */
@NullMarked
package io.cloudmw.core.testing;

import org.jspecify.annotations.NullMarked;
