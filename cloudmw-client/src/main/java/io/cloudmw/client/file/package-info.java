/**
 * The public API for one file: its entry in a directory, its status, open files, watches, and where a read delivers
 * bytes. Interfaces and immutable values; each type says which threads may use it.
 */
@NullMarked
package io.cloudmw.client.file;

import org.jspecify.annotations.NullMarked;
