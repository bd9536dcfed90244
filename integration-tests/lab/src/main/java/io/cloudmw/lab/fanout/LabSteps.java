package io.cloudmw.lab.fanout;

/** Told what is being done. */
@FunctionalInterface
public interface LabSteps {
    void say(String what);
}
