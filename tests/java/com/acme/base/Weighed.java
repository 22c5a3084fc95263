package com.acme.base;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Selects classes by annotation. */
@Retention(RetentionPolicy.CLASS)
public @interface Weighed {
}
