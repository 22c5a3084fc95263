package com.acme.clinic;

import org.springframework.data.jpa.repository.JpaRepository;

/** The repository. */
public interface Owners extends JpaRepository<Clinic.Owner, Long> {
}
