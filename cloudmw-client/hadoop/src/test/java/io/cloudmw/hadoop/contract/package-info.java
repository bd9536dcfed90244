/** Hadoop's contract suites, over volumes of a cluster in the JVM of the tests. */
package io.cloudmw.hadoop.contract;
