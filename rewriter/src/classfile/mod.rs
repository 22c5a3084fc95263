//! Reading class files (JVMS §4) as borrowed views over their bytes.
