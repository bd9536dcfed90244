/** Tests of the I/O scheduler: properties from seeds, a simulation in virtual time, and its pool on real threads. */
@org.jspecify.annotations.NullMarked
package io.cloudmw.core.schedule;
