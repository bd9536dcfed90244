/** The model that the torture test compares the cluster with. */
@NullMarked
package io.cloudmw.lab.torture.model;

import org.jspecify.annotations.NullMarked;
