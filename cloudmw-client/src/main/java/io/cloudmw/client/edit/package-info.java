/**
 * Changes of part of a file, made as a new version that shares the unchanged chunks. Each edit confines its state to
 * one serial executor.
 */
@NullMarked
package io.cloudmw.client.edit;

import org.jspecify.annotations.NullMarked;
